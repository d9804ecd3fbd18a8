// Transposing a matrix of floats in six ways, through tiles of shared memory.
//
//   nvcc -std=c++17 -arch=sm_80 transpose.cu -o transpose
//   ./transpose [rows cols [repeats]]    without arguments: 200 x 133 once,
//                                        then 8192 x 8192, 21 times
//   python3 ../lab-04-cuda-reduce/emulate.py transpose.cu
//
// Prints a line per kernel and exits with 1 if one is wrong.
// checked against nvcc 13.5.37 (2026-11)
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int kTile = 32;  // a tile is 32 x 32 floats
constexpr int kRows = 8;   // a block is 32 x 8 threads: four rows per thread

#define CUDA_CHECK(call)                                                      \
  do {                                                                        \
    cudaError_t status = (call);                                              \
    if (status != cudaSuccess) {                                              \
      std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                           \
    }                                                                         \
  } while (0)

// ANCHOR: copy
__global__ void copy_rows(const float* __restrict__ in,
                          float* __restrict__ out, int rows, int cols) {
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < cols && y + j < rows)
      out[(y + j) * cols + x] = in[(y + j) * cols + x];
}
// ANCHOR_END: copy

// ANCHOR: naive
__global__ void transpose_naive(const float* __restrict__ in,
                                float* __restrict__ out, int rows, int cols) {
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < cols && y + j < rows)
      out[x * rows + y + j] = in[(y + j) * cols + x];
}
// ANCHOR_END: naive

// ANCHOR: tiled
template <int kPad>
__global__ void transpose_tiled(const float* __restrict__ in,
                                float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[kTile][kTile + kPad];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kTile + tx;
  int y = blockIdx.y * kTile + ty;
  for (int j = 0; j < kTile; j += kRows)
    if (x < cols && y + j < rows)
      tile[ty + j][tx] = in[(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * kTile + tx;  // the tile's place in the output
  y = blockIdx.x * kTile + ty;
  for (int j = 0; j < kTile; j += kRows)
    if (x < rows && y + j < cols)
      out[(y + j) * rows + x] = tile[tx][ty + j];
}
// ANCHOR_END: tiled

// ANCHOR: swizzled
__global__ void transpose_swizzled(const float* __restrict__ in,
                                   float* __restrict__ out, int rows,
                                   int cols) {
  __shared__ float tile[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kTile + tx;
  int y = blockIdx.y * kTile + ty;
  for (int j = 0; j < kTile; j += kRows)
    if (x < cols && y + j < rows)
      tile[ty + j][tx ^ (ty + j)] = in[(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * kTile + tx;
  y = blockIdx.x * kTile + ty;
  for (int j = 0; j < kTile; j += kRows)
    if (x < rows && y + j < cols)
      out[(y + j) * rows + x] = tile[tx][(ty + j) ^ tx];
}
// ANCHOR_END: swizzled

using Kernel = void (*)(const float*, float*, int, int);
const std::pair<const char*, Kernel> kVersions[] = {
    {"copy", copy_rows},
    {"naive", transpose_naive},
    {"tiled", transpose_tiled<0>},
    {"padded", transpose_tiled<1>},
    {"aligned", transpose_tiled<4>},
    {"swizzled", transpose_swizzled}};

bool run_all(int rows, int cols, int repeats) {
  std::vector<float> host(size_t(rows) * cols), turned(host), got(host);
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < cols; ++x)  // a float holds integers up to 2^24
      turned[x * rows + y] = host[y * cols + x] = (y * cols + x) % (1 << 24);
  size_t size = host.size() * sizeof(float);
  float *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, size));
  CUDA_CHECK(cudaMalloc(&out, size));
  CUDA_CHECK(cudaMemcpy(in, host.data(), size, cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  dim3 block(kTile, kRows);
  bool all = true;
  // ANCHOR: harness
  for (const auto& [name, kernel] : kVersions) {
    CUDA_CHECK(cudaMemset(out, 0xff, size));  // every float a NaN
    std::vector<float> ms(repeats + 1);
    for (float& pass : ms) {  // the first pass warms up
      CUDA_CHECK(cudaEventRecord(start));
      kernel<<<grid, block>>>(in, out, rows, cols);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaEventRecord(stop));
      CUDA_CHECK(cudaEventSynchronize(stop));
      CUDA_CHECK(cudaEventElapsedTime(&pass, start, stop));
    }
    std::sort(ms.begin() + 1, ms.end());
    float median = ms[1 + repeats / 2];
    CUDA_CHECK(cudaMemcpy(got.data(), out, size, cudaMemcpyDeviceToHost));
    bool ok = got == (kernel == copy_rows ? host : turned);
    // ANCHOR_END: harness
    std::printf("%4d x %4d  %-8s  %s  median %.3f ms  %.0f GB/s\n", rows,
                cols, name, ok ? "PASS" : "FAIL", median,
                2.0 * size / median / 1e6);
    all &= ok;
  }
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return all;
}

int main(int argc, char** argv) {
  int repeats = argc > 3 ? std::atoi(argv[3]) : 21;
  if (argc > 2)
    return !run_all(std::atoi(argv[1]), std::atoi(argv[2]), repeats);
  // An awkward shape to find mistakes, then one far larger than any L2.
  return !(run_all(200, 133, 1) && run_all(8192, 8192, repeats));
}
