import time


# ANCHOR: retry
def retry(call, times):
    for attempt in range(times):
        try:
            return call()
        except OSError:
            time.sleep(2 ** attempt)
# ANCHOR_END: retry
