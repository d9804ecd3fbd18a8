__global__ void reduce(const float* x)
{
    // ANCHOR: body
    float s = x[0]; /* open
    still */ s += 1;
    // ANCHOR_END: body
}
