import json

print(json.dumps({"bytes": 2 * 80 * 8 * 128 * 2}))
