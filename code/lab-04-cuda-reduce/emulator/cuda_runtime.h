// Runs a CUDA source on a CPU: one fiber per thread, one block after another, the fibers always in the same order.
//
// A barrier holds a fiber until the whole block has arrived, a shuffle until the whole warp has. Nothing is parallel,
// so a missing barrier gives the same wrong sum on every run; run both orders (EMU_REVERSE=1), since one may hide it.
// Shared memory is poisoned before each block, and global memory ends in a poisoned pad: what is read before it was
// written, or past the end, ruins the sum instead of going unnoticed.
// With EMU_COUNTS=1, each launch prints its atomics and the barriers per block to standard error.
//
// It cannot show time (each elapsed time is NaN), coalescing, divergence or races that need two threads at once.
// Not supported: dynamic shared memory, streams, shuffles of part of a warp, votes.
#pragma once

#undef _FORTIFY_SOURCE  // its longjmp refuses to change stacks, which is what a fiber does

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static __attribute__((section("emu_shared")))
#define __restrict__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

struct alignas(16) float4 {
  float x, y, z, w;
};

extern "C" __attribute__((weak)) char __start_emu_shared[], __stop_emu_shared[];  // set by the linker

namespace emu {

inline void poison(void* from, size_t bytes) { std::memset(from, 0x7e, bytes); }  // as floats: about 8e37

enum class State { ready, barrier, shuffle, done };

struct Fiber {
  ucontext_t context;  // only to enter the stack for the first time; setjmp switches without a system call
  jmp_buf resume;
  bool entered = false;
  std::vector<char> stack = std::vector<char>(32 << 10);
  dim3 index;
  State state = State::ready;
  float lane_value = 0;
  unsigned lane_offset = 0;
};

inline const int line_by_line = std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);  // also into a pipe
inline jmp_buf scheduler;
inline Fiber* current = nullptr;
inline std::function<void()> kernel;
inline dim3 block_index, block_dim, grid_dim;
inline const bool reversed = std::getenv("EMU_REVERSE") != nullptr;
inline const bool counting = std::getenv("EMU_COUNTS") != nullptr;
inline long atomics = 0, barriers = 0;

[[noreturn]] inline void give_up(const char* reason) {
  std::fprintf(stderr, "emulator: %s\n", reason);
  std::exit(3);
}

inline void wait_as(State state) {
  current->state = state;
  if (_setjmp(current->resume) == 0) _longjmp(scheduler, 1);
}

// Lets a fiber run until it waits or is done.
inline void step(Fiber& fiber) {
  current = &fiber;
  if (_setjmp(scheduler) != 0) return;
  if (fiber.entered) _longjmp(fiber.resume, 1);
  fiber.entered = true;
  setcontext(&fiber.context);
}

inline float shuffle_down(unsigned mask, float value, unsigned offset) {
  if (mask != 0xffffffffu) give_up("a shuffle of part of a warp");
  current->lane_value = value;
  current->lane_offset = offset;
  wait_as(State::shuffle);
  return current->lane_value;
}

inline void entry() {
  for (;;) {  // one block after another
    kernel();
    wait_as(State::done);
  }
}

inline void prepare(Fiber& fiber, unsigned linear) {
  fiber.index = dim3(linear % block_dim.x, linear / block_dim.x % block_dim.y, linear / (block_dim.x * block_dim.y));
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.data();
  fiber.context.uc_stack.ss_size = fiber.stack.size();
  makecontext(&fiber.context, entry, 0);
}

// Lets every warp go on whose 32 lanes all wait in a shuffle; says whether there was one.
inline bool exchange_lanes(std::vector<Fiber>& fibers) {
  bool any = false;
  for (size_t first = 0; first < fibers.size(); first += 32) {
    size_t lanes = std::min<size_t>(32, fibers.size() - first);
    auto waits = [](const Fiber& f) { return f.state == State::shuffle; };
    auto begin = fibers.begin() + first;
    if (!std::all_of(begin, begin + lanes, waits)) continue;
    float before[32];
    for (size_t k = 0; k < lanes; ++k) before[k] = begin[k].lane_value;
    for (size_t k = 0; k < lanes; ++k) {
      size_t source = k + begin[k].lane_offset;
      begin[k].lane_value = before[source < lanes ? source : k];
      begin[k].state = State::ready;
    }
    any = true;
  }
  return any;
}

inline void run_block(std::vector<Fiber>& fibers) {
  size_t n = fibers.size();
  for (Fiber& fiber : fibers) fiber.state = State::ready;
  if (__start_emu_shared) poison(__start_emu_shared, __stop_emu_shared - __start_emu_shared);
  for (;;) {
    for (size_t k = 0; k < n; ++k) {
      Fiber& fiber = fibers[reversed ? n - 1 - k : k];
      if (fiber.state == State::ready) step(fiber);
    }
    auto count = [&](State s) {
      return size_t(std::count_if(fibers.begin(), fibers.end(), [s](const Fiber& f) { return f.state == s; }));
    };
    if (count(State::done) == n) return;
    if (exchange_lanes(fibers)) continue;
    if (count(State::barrier) != n) give_up("some threads of a block wait for others that never come");
    ++barriers;
    for (Fiber& fiber : fibers) fiber.state = State::ready;
  }
}

template <class F>
void launch(dim3 grid, dim3 block, F body) {
  grid_dim = grid;
  block_dim = block;
  kernel = body;
  atomics = barriers = 0;
  std::vector<Fiber> fibers(size_t(block.x) * block.y * block.z);
  for (size_t k = 0; k < fibers.size(); ++k) prepare(fibers[k], k);
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        block_index = dim3(x, y, z);
        run_block(fibers);
      }
  long blocks = long(grid.x) * grid.y * grid.z;
  if (counting) std::fprintf(stderr, "launch: %ld atomics, %ld barriers per block\n", atomics, barriers / blocks);
}

}  // namespace emu

#define threadIdx (emu::current->index)
#define blockIdx (emu::block_index)
#define blockDim (emu::block_dim)
#define gridDim (emu::grid_dim)
#define __syncthreads() emu::wait_as(emu::State::barrier)
#define __shfl_down_sync(mask, value, offset) emu::shuffle_down(mask, value, offset)
#define EMU_LAUNCH(grid, block, call) emu::launch(grid, block, [=] { call; })

template <class T>
T atomicAdd(T* address, T value) {
  ++emu::atomics;
  T old = *address;
  *address = old + value;
  return old;
}

using cudaError_t = int;
enum { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }

template <class T>
cudaError_t cudaMalloc(T** address, size_t bytes) {
  constexpr size_t pad = 1 << 16;
  void* memory = std::malloc(bytes + pad);
  emu::poison(memory, bytes + pad);
  *address = static_cast<T*>(memory);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* address) { return std::free(address), cudaSuccess; }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) { return std::memset(to, value, bytes), cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

// A small GPU: 4 multiprocessors, each of which holds 2 blocks at a time.
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrL2CacheSize };
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 4 : 0;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int, size_t) {
  *blocks = 2;
  return cudaSuccess;
}

using cudaEvent_t = int;
inline cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = NAN;
  return cudaSuccess;
}
