// Bandwidth by bytes in flight: the same sum of 1 GiB, read with loads of
// 4 or 16 bytes, 1 to 4 of them under way per thread, and few or many threads.
//
//   nvcc -std=c++17 -O3 -arch=native inflight.cu -o inflight && ./inflight
//
// Prints JSON. The outer loop is not unrolled, and each of its rounds issues
// all its loads before it adds, so a thread has kLoads under way. (Not more
// than four of float4: from eight, nvcc moves half of them behind the adds.)
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                  \
  do {                                                                    \
    cudaError_t status = (call);                                          \
    if (status != cudaSuccess) {                                          \
      std::fprintf(stderr, "this needs an NVIDIA GPU: %s\n",              \
                   cudaGetErrorString(status));                           \
      std::exit(2);                                                       \
    }                                                                     \
  } while (0)

__device__ float total(float x) { return x; }
__device__ float total(float4 x) { return (x.x + x.y) + (x.z + x.w); }

template <typename Word, int kLoads>
__global__ void sum(const Word* __restrict__ in, float* out, size_t n) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  float v = 0.0f;
#pragma unroll 1
  for (; i + (kLoads - 1) * step < n; i += kLoads * step) {
    Word x[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) x[k] = in[i + k * step];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) v += total(x[k]);
  }
  if (v < 0.0f) out[0] = v;  // never; without it nothing would be loaded
}

constexpr size_t kBytes = size_t(1) << 30;
constexpr int kBlock = 64;

template <typename Word, int kLoads>
void measure(const void* in, float* out, int sms, int threads, bool last) {
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  std::vector<float> ms(12);
  for (float& pass : ms) {  // the first one warms up
    CUDA_CHECK(cudaEventRecord(start));
    sum<Word, kLoads><<<sms * threads / kBlock, kBlock>>>(
        static_cast<const Word*>(in), out, kBytes / sizeof(Word));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&pass, start, stop));
  }
  std::sort(ms.begin() + 1, ms.end());
  std::printf("  {\"threads\": %d, \"loads\": %d, \"load_bytes\": %zu, "
              "\"in_flight\": %zu, \"gbyte_per_s\": %.0f}%s\n",
              threads, kLoads, sizeof(Word),
              threads * kLoads * sizeof(Word), kBytes / ms[6] / 1e6,
              last ? "" : ",");
}

int main() {
  cudaDeviceProp card;
  CUDA_CHECK(cudaGetDeviceProperties(&card, 0));
  int sms = card.multiProcessorCount;
  void* in = nullptr;
  float* out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, kBytes));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float)));
  std::vector<float> host(kBytes / sizeof(float));
  unsigned state = 1;  // random bits, because some memories compress zeros
  for (float& x : host)
    x = ((state = state * 1664525u + 1013904223u) >> 9) / 8388608.0f;
  CUDA_CHECK(cudaMemcpy(in, host.data(), kBytes, cudaMemcpyHostToDevice));
  std::printf("{\"device\": \"%s\", \"multiprocessors\": %d, \"rows\": [\n",
              card.name, sms);
  for (int threads : {64, 128, 256, 512, 1024, 2048}) {
    measure<float, 1>(in, out, sms, threads, false);
    measure<float, 4>(in, out, sms, threads, false);
    measure<float4, 1>(in, out, sms, threads, false);
    measure<float4, 2>(in, out, sms, threads, false);
    measure<float4, 4>(in, out, sms, threads, threads == 2048);
  }
  std::printf("]}\n");
}
