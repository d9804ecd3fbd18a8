more = 1
