// Summing n floats four ways, from one crowded address to one atomic a block.
//
//   nvcc -std=c++17 -arch=sm_80 reduce.cu -o reduce && ./reduce 16777216
//
// Prints a line a version and exits with 1 if any sum is wrong.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

constexpr int kBlock = 256;
constexpr int kWarp = 32;
constexpr int kMaxBlocks = 1024;

// ANCHOR: check-macro
#define CUDA_CHECK(call)                                            \
  do {                                                              \
    cudaError_t status = (call);                                    \
    if (status != cudaSuccess) {                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,       \
                   cudaGetErrorString(status));                     \
      std::exit(2);                                                 \
    }                                                               \
  } while (0)
// ANCHOR_END: check-macro

// ANCHOR: naive-atomic
__global__ void reduce_global_atomic(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
// ANCHOR_END: naive-atomic

// ANCHOR: shared-interleaved
__global__ void reduce_shared_interleaved(const float* in, float* out,
                                          int n) {
  __shared__ float partial[kBlock];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kBlock; stride *= 2) {
    if (tid % (2 * stride) == 0) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, partial[0]);
}
// ANCHOR_END: shared-interleaved

// ANCHOR: shared-sequential
__global__ void reduce_shared_sequential(const float* in, float* out,
                                         int n) {
  __shared__ float partial[kBlock];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = kBlock / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, partial[0]);
}
// ANCHOR_END: shared-sequential

// ANCHOR: warp-sum
__device__ __forceinline__ float warp_sum(float v) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;  // the whole sum in lane 0, leftovers in the other lanes
}
// ANCHOR_END: warp-sum

// ANCHOR: warp-shuffle
__global__ void reduce_warp_shuffle(const float* in, float* out, int n) {
  __shared__ float warp_totals[kBlock / kWarp];
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    v += in[i];

  int lane = threadIdx.x % kWarp;
  int warp = threadIdx.x / kWarp;
  v = warp_sum(v);
  if (lane == 0) warp_totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < kBlock / kWarp ? warp_totals[lane] : 0.0f;
    v = warp_sum(v);
    if (lane == 0) atomicAdd(out, v);
  }
}
// ANCHOR_END: warp-shuffle

// ANCHOR: harness
using Kernel = void (*)(const float*, float*, int);

bool run(const char* name, Kernel kernel, int grid, const float* in,
         float* out, int n, double expected) {
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  float got = 0.0f, ms = 0.0f;
  for (int pass = 0; pass < 2; ++pass) {  // the first pass warms up
    CUDA_CHECK(cudaMemset(out, 0, sizeof(float)));
    CUDA_CHECK(cudaEventRecord(start));
    kernel<<<grid, kBlock>>>(in, out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
  }
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  CUDA_CHECK(cudaMemcpy(&got, out, sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  double error = std::fabs(got - expected) / expected;
  bool ok = error < 1e-3;
  std::printf("%-18s %s  sum %.1f  error %.1e  %.3f ms  %.1f GB/s\n", name,
              ok ? "PASS" : "FAIL", got, error, ms, 4.0 * n / ms / 1e6);
  return ok;
}
// ANCHOR_END: harness

// ANCHOR: main
int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1 << 24;
  if (n < 1) return 2;
  std::minstd_rand rng;  // the same numbers on every run
  std::vector<float> host(n);
  double expected = 0.0;
  for (float& x : host) expected += x = rng() % 1024 / 1024.0f;

  float *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float)));
  CUDA_CHECK(cudaMemcpy(in, host.data(), n * sizeof(float),
                        cudaMemcpyHostToDevice));

  int blocks = (n + kBlock - 1) / kBlock;
  int grid = blocks < kMaxBlocks ? blocks : kMaxBlocks;
  bool ok = run("global atomic", reduce_global_atomic, blocks, in, out, n,
                expected);
  ok &= run("shared interleaved", reduce_shared_interleaved, blocks, in,
            out, n, expected);
  ok &= run("shared sequential", reduce_shared_sequential, blocks, in, out,
            n, expected);
  ok &= run("warp shuffle", reduce_warp_shuffle, grid, in, out, n,
            expected);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return ok ? 0 : 1;
}
// ANCHOR_END: main
