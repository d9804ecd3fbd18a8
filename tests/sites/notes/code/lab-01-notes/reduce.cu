// ANCHOR: kernel
if (i < n) {
    s += x[i];
}
// ANCHOR_END: kernel
