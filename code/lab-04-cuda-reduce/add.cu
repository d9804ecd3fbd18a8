// The smallest useful kernel: c = a + b, one thread per element.
//   nvcc -arch=sm_80 add.cu -o add && ./add
//   python3 emulate.py add.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

// ANCHOR: kernel
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
// ANCHOR_END: kernel

int main() {
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> host_a(n, 1.5f), host_b(n, 2.0f), host_c(n);
  // ANCHOR: launch
  float *a, *b, *c;
  cudaMalloc(&a, bytes);  // memory of the GPU
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  cudaMemcpy(a, host_a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host_b.data(), bytes, cudaMemcpyHostToDevice);
  add<<<4, 256>>>(a, b, c, n);  // 4 blocks of 256 threads
  cudaMemcpy(host_c.data(), c, bytes, cudaMemcpyDeviceToHost);
  // ANCHOR_END: launch
  std::printf("c[0] = %.1f, c[%d] = %.1f\n", host_c[0], n - 1, host_c[n - 1]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return host_c[n - 1] == 3.5f ? 0 : 1;
}
