#!/usr/bin/env bash
# One slow program, and for each question the command that answers it.
#
#   ./profile_commands.sh                  print every command, run none
#   ./profile_commands.sh timeline         print one step's command
#   RUN=1 ./profile_commands.sh timeline   print it and run it
#
# checked against the guides of Nsight Systems 2025 and
# Nsight Compute 2025 (2026-11); neither tool was run for this course
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# ANCHOR: settings
RUN=${RUN:-0}                           # 0 prints, 1 prints and runs
OUT=${OUT:-reports}
STEP=(python3 step.py)                  # a training step with a window
REDUCE=(../lab-04-cuda-reduce/reduce)   # four kernels, two passes each
KERNEL=reduce_warp_shuffle
# ANCHOR_END: settings

# ANCHOR: run-wrapper
run() {
  printf '+ %s\n' "$*"
  if [[ $RUN == 1 ]]; then "$@"; fi
}
# ANCHOR_END: run-wrapper

# ANCHOR: timeline
step_clock() { run "${STEP[@]}"; }

capture() {  # a name for the report, then further options
  local report=$1
  shift
  run nsys profile --trace=cuda,nvtx,osrt --sample=none --cpuctxsw=none \
    --capture-range=cudaProfilerApi --capture-range-end=stop "$@" \
    --force-overwrite=true --output="$OUT/$report" "${STEP[@]}"
}
step_timeline() { capture timeline; }
step_backward() { capture backward --pytorch=autograd-nvtx; }
# ANCHOR_END: timeline

# ANCHOR: summaries
step_summaries() {
  run nsys stats \
    --report cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_api_sum \
    "$OUT/timeline.nsys-rep"
  run nsys stats --report nvtx_gpu_proj_sum "$OUT/backward.nsys-rep"
}
# ANCHOR_END: summaries

# ANCHOR: operators
step_operators() { run "${STEP[@]}" --operators; }
# ANCHOR_END: operators

# ANCHOR: kernel
step_kernel() {
  local metrics=gpu__time_duration.sum
  metrics+=,sm__throughput.avg.pct_of_peak_sustained_elapsed
  metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed
  metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
  run ncu --kernel-name "regex:$KERNEL" --launch-skip 1 --launch-count 1 \
    --clock-control base --cache-control all --metrics "$metrics" \
    --force-overwrite --export "$OUT/kernel" "${REDUCE[@]}"
  run ncu --import "$OUT/kernel.ncu-rep" --page details --csv
}
# ANCHOR_END: kernel

# ANCHOR: bank-conflicts
step_bank_conflicts() {
  local op=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op
  run ncu --kernel-name regex:reduce_shared --launch-count 4 \
    --metrics "${op}_ld.sum,${op}_st.sum" "${REDUCE[@]}"
}
# ANCHOR_END: bank-conflicts

# ANCHOR: main
ALL=(clock timeline backward summaries operators kernel bank_conflicts)

main() {
  local name
  if (($# == 0)); then set -- "${ALL[@]}"; fi
  for name in "$@"; do
    if [[ " ${ALL[*]} " != *" $name "* ]]; then
      printf 'no step "%s"; steps: %s\n' "$name" "${ALL[*]}" >&2
      exit 2
    fi
  done
  if [[ $RUN == 1 ]]; then mkdir -p "$OUT"; fi
  for name in "$@"; do "step_$name"; done
}

main "$@"
# ANCHOR_END: main
