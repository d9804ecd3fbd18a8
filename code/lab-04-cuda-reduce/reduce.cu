// Summing n floats five ways, from one crowded address to one atomic per block.
//
//   nvcc -std=c++17 -arch=sm_80 reduce.cu -o reduce
//   ./reduce [n [repeats]]      without arguments: 16777216 floats, 21 times
//   python3 emulate.py reduce.cu     without a GPU, without times
//
// Prints a line per kernel and exits with 1 if any sum is wrong.
// checked against nvcc 13.5.37 (2026-11)
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>
#ifdef WITH_CUB  // NVIDIA's library, the baseline of measure.py
#include <cub/device/device_reduce.cuh>
#endif

constexpr int kBlock = 256;  // threads per block
constexpr int kWarp = 32;    // threads per warp

#define CUDA_CHECK(call)                                            \
  do {                                                              \
    cudaError_t status = (call);                                    \
    if (status != cudaSuccess) {                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,       \
                   cudaGetErrorString(status));                     \
      std::exit(2);                                                 \
    }                                                               \
  } while (0)

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
__device__ __forceinline__ void add_block(float v, float* warp_totals,
                                          float* out) {
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

__global__ void reduce_warp_shuffle(const float* in, float* out, int n) {
  __shared__ float warp_totals[kBlock / kWarp];
  int step = gridDim.x * blockDim.x;  // threads of the whole grid
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    v += in[i];  // nvcc unrolls this by four
  add_block(v, warp_totals, out);
}
// ANCHOR_END: warp-shuffle

// ANCHOR: vector
__global__ void reduce_vector(const float* __restrict__ in, float* out,
                              int n) {
  __shared__ float warp_totals[kBlock / kWarp];
  const float4* fours = reinterpret_cast<const float4*>(in);
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  float v = 0.0f;
  for (int i = first; i < n / 4; i += step) {
    float4 x = fours[i];  // one load of 16 bytes
    v += (x.x + x.y) + (x.z + x.w);
  }
  for (int i = n / 4 * 4 + first; i < n; i += step) v += in[i];
  add_block(v, warp_totals, out);
}
// ANCHOR_END: vector

using Kernel = void (*)(const float*, float*, int);
struct Input {
  float* copies;  // the same n floats, `count` times, `pitch` apart
  int n, count;
  size_t pitch;   // a multiple of 4, so that each copy is aligned for float4
  double sum;
};

#ifdef WITH_CUB
void sum_with_cub(const float* in, float* out, int n) {
  static void* space = nullptr;
  static size_t bytes = 0;
  if (!space) {  // the first call only asks how much it needs
    CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in, out, n));
    CUDA_CHECK(cudaMalloc(&space, bytes));
  }
  CUDA_CHECK(cub::DeviceReduce::Sum(space, bytes, in, out, n));
}
#endif

void launch(Kernel kernel, int grid, const float* in, float* out, int n) {
#ifdef WITH_CUB
  if (!kernel) return sum_with_cub(in, out, n);
#endif
  kernel<<<grid, kBlock>>>(in, out, n);
}

bool run(const char* name, Kernel kernel, int grid, const Input& in,
         float* out, int repeats) {
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  float got = 0.0f;
  // ANCHOR: timing
  std::vector<float> ms(repeats + 1);
  for (int pass = 0; pass <= repeats; ++pass) {  // pass 0 warms up
    const float* copy = in.copies + pass % in.count * in.pitch;
    CUDA_CHECK(cudaMemset(out, 0, sizeof(float)));
    CUDA_CHECK(cudaEventRecord(start));
    launch(kernel, grid, copy, out, in.n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms[pass], start, stop));
  }
  std::sort(ms.begin() + 1, ms.end());
  float median = ms[1 + repeats / 2];
  // ANCHOR_END: timing
  CUDA_CHECK(cudaMemcpy(&got, out, sizeof(float), cudaMemcpyDeviceToHost));
  double error = std::fabs(got - in.sum) / in.sum;
  bool ok = error < 1e-3;
  std::printf("%-18s %s  sum %.1f  error %.1e  median %.4f ms  %.0f GB/s\n",
              name, ok ? "PASS" : "FAIL", got, error, median,
              4.0 * in.n / median / 1e6);
  return ok;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1 << 24;
  int repeats = argc > 2 ? std::atoi(argv[2]) : 21;
  if (n < 1 || repeats < 1) return 2;
  std::minstd_rand rng;  // the same numbers on every run
  std::vector<float> host(n);
  Input in{nullptr, n, 0, (size_t(n) + 3) / 4 * 4, 0.0};
  for (float& x : host) in.sum += x = rng() % 1024 / 1024.0f;

  // ANCHOR: device
  int sms = 0, l2 = 0, per_sm = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_sm, reduce_warp_shuffle, kBlock, 0));
  int blocks = (n + kBlock - 1) / kBlock;     // one thread per element
  int grid = std::min(blocks, sms * per_sm);  // what the GPU holds at once

  size_t bytes = n * sizeof(float);
  in.count = std::min<size_t>(2 + 4 * size_t(l2) / bytes, 1000);
  // ANCHOR_END: device
  float* out = nullptr;
  CUDA_CHECK(cudaMalloc(&in.copies, in.count * in.pitch * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float)));
  for (int k = 0; k < in.count; ++k)
    CUDA_CHECK(cudaMemcpy(in.copies + k * in.pitch, host.data(), bytes,
                          cudaMemcpyHostToDevice));

  bool ok = run("global atomic", reduce_global_atomic, blocks, in, out,
                repeats);
  ok &= run("shared interleaved", reduce_shared_interleaved, blocks, in, out,
            repeats);
  ok &= run("shared sequential", reduce_shared_sequential, blocks, in, out,
            repeats);
  ok &= run("warp shuffle", reduce_warp_shuffle, grid, in, out, repeats);
  ok &= run("vector loads", reduce_vector, grid, in, out, repeats);
#ifdef WITH_CUB
  ok &= run("CUB", nullptr, 0, in, out, repeats);
#endif
  CUDA_CHECK(cudaFree(in.copies));
  CUDA_CHECK(cudaFree(out));
  return ok ? 0 : 1;
}
