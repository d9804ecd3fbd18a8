// Runs a CUDA source on a CPU: one fibre a thread, blocks one after another, the order of the fibres fixed.
//
// A barrier holds a fibre until the whole block has arrived, a shuffle until the whole warp has. Nothing is parallel,
// so a missing barrier gives the same wrong sum on every run; run both orders (EMU_REVERSE=1), since one may hide it.
// Shared memory is poisoned before each block, and global memory ends in a poisoned pad: what is read before it was
// written, or past the end, ruins the sum instead of slipping through.
// At exit, EMU_COUNTS=1 prints the atomics of each launch and the barriers of each block to standard error.
//
// Not supported: dynamic shared memory, streams, partial-warp shuffles, votes. Times are meaningless.
#pragma once

#undef _FORTIFY_SOURCE  // its longjmp refuses to change stacks, which is what a fibre does

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
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

extern "C" __attribute__((weak)) char __start_emu_shared[], __stop_emu_shared[];  // set by the linker

namespace emu {

inline void poison(void* from, size_t bytes) { std::memset(from, 0x7e, bytes); }  // as floats: about 8e37

enum class State { ready, barrier, shuffle, done };

struct Fibre {
  ucontext_t context;  // only to enter the stack for the first time; setjmp switches without a system call
  jmp_buf resume;
  bool entered = false;
  std::vector<char> stack = std::vector<char>(32 << 10);
  dim3 index;
  State state = State::ready;
  float lane_value = 0;
  unsigned lane_offset = 0;
};

inline jmp_buf scheduler;
inline Fibre* current = nullptr;
inline std::function<void()> kernel;
inline dim3 block_index, block_dim, grid_dim;
inline const bool reversed = std::getenv("EMU_REVERSE") != nullptr;
inline const bool counting = std::getenv("EMU_COUNTS") != nullptr;
inline long atomics = 0, barriers = 0;

[[noreturn]] inline void give_up(const char* reason) {
  std::fprintf(stderr, "shim: %s\n", reason);
  std::exit(3);
}

inline void wait_as(State state) {
  current->state = state;
  if (_setjmp(current->resume) == 0) _longjmp(scheduler, 1);
}

// Lets a fibre run until it waits or is done.
inline void step(Fibre& fibre) {
  current = &fibre;
  if (_setjmp(scheduler) != 0) return;
  if (fibre.entered) _longjmp(fibre.resume, 1);
  fibre.entered = true;
  setcontext(&fibre.context);
}

inline float shuffle_down(unsigned mask, float value, unsigned offset) {
  if (mask != 0xffffffffu) give_up("a shuffle of part of a warp");
  current->lane_value = value;
  current->lane_offset = offset;
  wait_as(State::shuffle);
  return current->lane_value;
}

inline void entry() {
  for (;;) {  // a block a turn
    kernel();
    wait_as(State::done);
  }
}

inline void prepare(Fibre& fibre, unsigned linear) {
  fibre.index = dim3(linear % block_dim.x, linear / block_dim.x % block_dim.y, linear / (block_dim.x * block_dim.y));
  getcontext(&fibre.context);
  fibre.context.uc_stack.ss_sp = fibre.stack.data();
  fibre.context.uc_stack.ss_size = fibre.stack.size();
  makecontext(&fibre.context, entry, 0);
}

// Lets every warp go on whose 32 lanes all wait in a shuffle; says whether there was one.
inline bool exchange_lanes(std::vector<Fibre>& fibres) {
  bool any = false;
  for (size_t first = 0; first < fibres.size(); first += 32) {
    size_t lanes = std::min<size_t>(32, fibres.size() - first);
    auto waits = [](const Fibre& f) { return f.state == State::shuffle; };
    auto begin = fibres.begin() + first;
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

inline void run_block(std::vector<Fibre>& fibres) {
  size_t n = fibres.size();
  for (Fibre& fibre : fibres) fibre.state = State::ready;
  if (__start_emu_shared) poison(__start_emu_shared, __stop_emu_shared - __start_emu_shared);
  for (;;) {
    for (size_t k = 0; k < n; ++k) {
      Fibre& fibre = fibres[reversed ? n - 1 - k : k];
      if (fibre.state == State::ready) step(fibre);
    }
    auto count = [&](State s) {
      return size_t(std::count_if(fibres.begin(), fibres.end(), [s](const Fibre& f) { return f.state == s; }));
    };
    if (count(State::done) == n) return;
    if (exchange_lanes(fibres)) continue;
    if (count(State::barrier) != n) give_up("some threads of a block wait for others that never come");
    ++barriers;
    for (Fibre& fibre : fibres) fibre.state = State::ready;
  }
}

template <class F>
void launch(dim3 grid, dim3 block, F body) {
  grid_dim = grid;
  block_dim = block;
  kernel = body;
  atomics = barriers = 0;
  std::vector<Fibre> fibres(size_t(block.x) * block.y * block.z);
  for (size_t k = 0; k < fibres.size(); ++k) prepare(fibres[k], k);
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        block_index = dim3(x, y, z);
        run_block(fibres);
      }
  long blocks = long(grid.x) * grid.y * grid.z;
  if (counting) std::fprintf(stderr, "launch: %ld atomics, %ld barriers a block\n", atomics, barriers / blocks);
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

using cudaEvent_t = std::chrono::steady_clock::time_point*;
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new std::chrono::steady_clock::time_point;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) {
  *event = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms = std::chrono::duration<float, std::milli>(*to - *from).count();
  return cudaSuccess;
}
