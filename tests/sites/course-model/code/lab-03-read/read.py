print(open("x").read())
