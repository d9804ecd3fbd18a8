// Transposing a matrix of floats, and which bank each lane of a warp asks.
//   nvcc -std=c++17 -arch=sm_80 transpose.cu -o transpose
//   ./transpose --model    the bank table; needs no GPU
//   ./transpose            five kernels; exits with 1 if one is wrong
// checked against nvcc 13.5.37 (2026-11)
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

// ANCHOR: constants
constexpr int kTile = 32;  // a tile is 32 x 32 floats
constexpr int kRows = 8;   // a block is 32 x 8 threads: four rows a thread
constexpr int kWarp = 32, kBanks = 32;
constexpr int kWord = 4;     // bytes a bank hands out in a turn
constexpr int kSector = 32;  // bytes that global memory moves at least
// ANCHOR_END: constants

#define CUDA_CHECK(call)                                                      \
  do {                                                                        \
    cudaError_t status = (call);                                              \
    if (status != cudaSuccess) {                                              \
      std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                           \
    }                                                                         \
  } while (0)

// ANCHOR: bank-model
using Bytes = std::vector<int>;  // an address for each lane of a warp
Bytes strided(int stride, int first = 0) {
  Bytes bytes;
  for (int lane = 0; lane < kWarp; ++lane)
    bytes.push_back(first + lane * stride);
  return bytes;
}

int turns(const Bytes& bytes) {  // until the busiest bank is done
  std::set<int> words[kBanks];
  for (int byte : bytes) {
    int word = byte / kWord;
    words[word % kBanks].insert(word);
  }
  size_t most = 0;
  for (const auto& bank : words) most = std::max(most, bank.size());
  return most;
}

int sectors(const Bytes& bytes) {  // the same question to global memory
  std::set<int> touched;
  for (int byte : bytes) touched.insert(byte / kSector);
  return touched.size();
}
// ANCHOR_END: bank-model

// ANCHOR: model
void model() {
  std::printf("width  bytes  row  column  16-bit  a tile\n");
  for (int width : {31, 32, 33, 34, 36, 40, 48, 64}) {
    int row = turns(strided(kWord)), column = turns(strided(width * kWord));
    int odd = turns(strided(width * 2, 2)), even = turns(strided(width * 2));
    std::printf("%5d  %5d  %3d  %6d  %6d  %6d\n", width,
                kTile * width * kWord, row, column, std::max(odd, even),
                kTile * (row + column));
  }
  int row = 0, column = 0;  // the worst of 32 rows and 32 columns
  for (int i = 0; i < kTile; ++i) {
    Bytes along, down;
    for (int lane = 0; lane < kWarp; ++lane) {
      along.push_back((i * kTile + (lane ^ i)) * kWord);
      down.push_back((lane * kTile + (i ^ lane)) * kWord);
    }
    row = std::max(row, turns(along));
    column = std::max(column, turns(down));
  }
  std::printf("swizzled: row %d, column %d, a tile %d\n", row, column,
              kTile * (row + column));
  std::printf("sectors: %d side by side, %d at a stride of 4096 floats\n",
              sectors(strided(kWord)), sectors(strided(4096 * kWord)));
}
// ANCHOR_END: model

// ANCHOR: copy
__global__ void copy_rows(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < cols && y + j < rows)
      out[(y + j) * cols + x] = in[(y + j) * cols + x];
}
// ANCHOR_END: copy

// ANCHOR: naive
__global__ void transpose_naive(const float* in, float* out, int rows,
                                int cols) {
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < cols && y + j < rows)
      out[x * rows + y + j] = in[(y + j) * cols + x];
}
// ANCHOR_END: naive

// ANCHOR: tiled
template <int kPad>
__global__ void transpose_tiled(const float* in, float* out, int rows,
                                int cols) {
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
__global__ void transpose_swizzled(const float* in, float* out, int rows,
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

// ANCHOR: harness
using Kernel = void (*)(const float*, float*, int, int);
const std::pair<const char*, Kernel> kVersions[] = {
    {"copy", copy_rows},
    {"naive", transpose_naive},
    {"tiled", transpose_tiled<0>},
    {"padded", transpose_tiled<1>},
    {"swizzled", transpose_swizzled}};

bool run_all(int rows, int cols) {
  std::vector<float> host(rows * cols), turned(host), got(host);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < cols; ++x)
      turned[x * rows + y] = host[y * cols + x] = y * cols + x;
  size_t size = host.size() * sizeof(float);
  float *in = nullptr, *out = nullptr, ms = 0;
  CUDA_CHECK(cudaMalloc(&in, size));
  CUDA_CHECK(cudaMalloc(&out, size));
  CUDA_CHECK(cudaMemcpy(in, host.data(), size, cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  dim3 block(kTile, kRows);
  bool all = true;
  for (const auto& [name, kernel] : kVersions) {
    CUDA_CHECK(cudaMemset(out, 0xff, size));  // every float a NaN
    for (int pass = 0; pass < 2; ++pass) {    // the first warms up
      CUDA_CHECK(cudaEventRecord(start));
      kernel<<<grid, block>>>(in, out, rows, cols);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaEventRecord(stop));
      CUDA_CHECK(cudaEventSynchronize(stop));
    }
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    CUDA_CHECK(cudaMemcpy(got.data(), out, size, cudaMemcpyDeviceToHost));
    bool ok = got == (kernel == copy_rows ? host : turned);
    std::printf("%4d x %4d  %-8s  %s  %.3f ms  %.1f GB/s\n", rows, cols,
                name, ok ? "PASS" : "FAIL", ms, 2.0 * size / ms / 1e6);
    all &= ok;
  }
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return all;
}
// ANCHOR_END: harness

// ANCHOR: main
int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string("--model")) return model(), 0;
  if (argc == 3) return !run_all(std::atoi(argv[1]), std::atoi(argv[2]));
  return !(run_all(200, 133) && run_all(4096, 4096));
}
// ANCHOR_END: main
