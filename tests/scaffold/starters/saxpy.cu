#include <cstdio>

// y = a * x + y, one element a thread.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

struct Timer {
  cudaEvent_t start, stop;
  float milliseconds() const { return 0.0f; }
};

int blocks(int n, int width) { return (n + width - 1) / width; }
int blocks(long n, int width) { return int((n + width - 1) / width); }
