total = sum([1, 2])
