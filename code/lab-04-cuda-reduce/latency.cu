// How far away each memory is: cycles of a load whose address is the result
// of the load before it, by one thread.
//
//   nvcc -std=c++17 -O3 -arch=native latency.cu -o latency && ./latency
//
// Prints JSON. A figure contains the few cycles that compute the address.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
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

constexpr int kSteps = 4096;

template <bool kL1>  // through L1, or past it
__global__ void chase(const unsigned* next, int warm_up, long long* cycles) {
  unsigned i = 0;
  for (int k = 0; k < warm_up; ++k)
    i = kL1 ? __ldca(next + i) : __ldcg(next + i);
  cycles[2] = i;
  i = 0;
  long long start = clock64();
  for (int k = 0; k < kSteps; ++k)
    i = kL1 ? __ldca(next + i) : __ldcg(next + i);
  cycles[1] = i;  // the loop must have ended
  cycles[0] = clock64() - start;
}

__global__ void chase_shared(long long* cycles) {
  __shared__ unsigned next[1024];
  for (int k = 0; k < 1024; ++k) next[k] = (k + 33) % 1024;
  unsigned i = 0;
  long long start = clock64();
  for (int k = 0; k < kSteps; ++k) i = next[i];
  cycles[1] = i;
  cycles[0] = clock64() - start;
}

__global__ void shuffles(long long* cycles) {
  unsigned v = threadIdx.x;
  long long start = clock64();
  for (int k = 0; k < kSteps; ++k)
    v += __shfl_xor_sync(0xffffffffu, v, 16);
  cycles[1 + threadIdx.x] = v;
  cycles[0] = clock64() - start;
}

__global__ void fmas(float x, long long* cycles) {
  float v = x;
  long long start = clock64();
#pragma unroll 64
  for (int k = 0; k < kSteps; ++k) v = fmaf(v, x, x);
  cycles[1] = static_cast<long long>(v);
  cycles[0] = clock64() - start;
}

// One random cycle through all lines of 128 bytes.
unsigned* ring(size_t bytes) {
  size_t lines = bytes / 128;
  std::vector<unsigned> order(lines), next(bytes / 4);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  for (size_t k = 0; k < lines; ++k)
    next[order[k] * 32ull] = order[(k + 1) % lines] * 32u;
  unsigned* copy = nullptr;
  CUDA_CHECK(cudaMalloc(&copy, bytes));
  CUDA_CHECK(cudaMemcpy(copy, next.data(), bytes, cudaMemcpyHostToDevice));
  return copy;
}

int main() {
  cudaDeviceProp card;
  CUDA_CHECK(cudaGetDeviceProperties(&card, 0));
  long long* cycles = nullptr;
  CUDA_CHECK(cudaMalloc(&cycles, 64 * sizeof(long long)));
  auto report = [&](const char* name, auto launch) {
    long long found = 0;
    for (int pass = 0; pass < 2; ++pass) {  // the first one warms up
      launch();
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaMemcpy(&found, cycles, sizeof(found),
                            cudaMemcpyDeviceToHost));
    }
    std::printf(", \"%s\": %.1f", name, double(found) / kSteps);
  };
  std::printf("{\"device\": \"%s\"", card.name);
  report("fma", [&] { fmas<<<1, 1>>>(0.5f, cycles); });
  report("shuffle and add", [&] { shuffles<<<1, 32>>>(cycles); });
  report("shared memory", [&] { chase_shared<<<1, 1>>>(cycles); });
  unsigned* small = ring(32 << 10);
  report("L1", [&] { chase<true><<<1, 1>>>(small, 256, cycles); });
  for (int mib : {8, 24, 32, 40}) {
    unsigned* in_l2 = ring(size_t(mib) << 20);
    char name[32];
    std::snprintf(name, sizeof(name), "L2, %d MiB", mib);
    report(name, [&] { chase<false><<<1, 1>>>(in_l2, mib << 13, cycles); });
    CUDA_CHECK(cudaFree(in_l2));
  }
  for (int mib : {256, 2048}) {  // the next pass begins where nothing is cached
    unsigned* far = ring(size_t(mib) << 20);
    char name[32];
    std::snprintf(name, sizeof(name), "HBM, %d MiB", mib);
    CUDA_CHECK(cudaMemset(cycles, 0, sizeof(long long)));
    chase<false><<<1, 1>>>(far, 0, cycles);
    long long found = 0;
    CUDA_CHECK(cudaMemcpy(&found, cycles, sizeof(found),
                          cudaMemcpyDeviceToHost));
    std::printf(", \"%s\": %.1f", name, double(found) / kSteps);
    CUDA_CHECK(cudaFree(far));
  }
  std::printf("}\n");
}
