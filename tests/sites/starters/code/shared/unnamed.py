nobody = "names it"
