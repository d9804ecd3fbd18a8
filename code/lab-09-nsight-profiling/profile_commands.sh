#!/usr/bin/env bash
# For each question about a slow program, the command that answers it.
#
#   ./profile_commands.sh                  print every command, run none
#   ./profile_commands.sh timeline         print one step's commands
#   RUN=1 ./profile_commands.sh timeline   print them and run them
#
# Checked against the guides of Nsight Systems 2025 and
# Nsight Compute 2025 (2026-11). The reports h200-*.csv were made by ncu 2025.3.1
# on an H200, with these metrics and some more, and with --clock-control none,
# because that machine does not let anybody fix its clocks; nsys could not write
# a report there and was not run.
set -euo pipefail
cd "$(dirname "$0")"
RUN=${RUN:-0}
OUT=${OUT:-reports}
KERNEL=${KERNEL:-reduce_warp_shuffle}

run() { # prints a command, and runs it if RUN=1
  printf '+ %s\n' "$*"
  if [[ $RUN == 1 ]]; then "$@"; fi
}
save() { # the same, with the command's output in a file
  local file=$1
  shift
  printf '+ %s > %s\n' "$*" "$file"
  if [[ $RUN == 1 ]]; then "$@" >"$file"; fi
}

# ANCHOR: timeline
step_clock() { # step_summaries reads the file
  save "$OUT/clock.txt" python3 step.py
  if [[ $RUN == 1 ]]; then cat "$OUT/clock.txt"; fi
}

step_timeline() {
  run nsys profile --trace=cuda,nvtx,osrt --sample=none --cpuctxsw=none \
    --capture-range=cudaProfilerApi --capture-range-end=stop \
    --pytorch=autograd-nvtx \
    --force-overwrite=true --output="$OUT/timeline" python3 step.py
}

step_summaries() {
  run nsys stats --format csv --output "$OUT/timeline" --report \
    cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_api_sum,nvtx_gpu_proj_sum \
    "$OUT/timeline.nsys-rep"
  run python3 verdict.py "$OUT/timeline_cuda_gpu_kern_sum.csv" --steps 3 \
    --clock "$OUT/clock.txt"
}
# ANCHOR_END: timeline

step_operators() { run python3 step.py --operators --trace "$OUT/trace.json"; }
step_memory() { run python3 step.py --memory --snapshot "$OUT/memory.pickle"; }

# ANCHOR: counters
step_counters() {
  local metrics=gpu__time_duration.sum
  metrics+=,sm__throughput.avg.pct_of_peak_sustained_elapsed
  metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed
  metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
  for stall in long_scoreboard short_scoreboard barrier lg_throttle wait \
    mio_throttle math_pipe_throttle; do
    metrics+=,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
  done
  for count in bank_conflicts_pipe_lsu pipe_lsu_wavefronts; do
    metrics+=,l1tex__data_${count}_mem_shared_op_ld.sum
  done
  metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum # atomics
  run ncu --kernel-name "regex:$KERNEL" --launch-skip 1 --launch-count 1 \
    --clock-control base --cache-control all \
    --section SpeedOfLight --section WarpStateStats --section Occupancy \
    --metrics "$metrics" --force-overwrite --export "$OUT/counters" \
    ../lab-04-cuda-reduce/reduce
  save "$OUT/counters.csv" \
    ncu --import "$OUT/counters.ncu-rep" --page details --csv
  run python3 verdict.py "$OUT/counters.csv"
}
# ANCHOR_END: counters

if (($# == 0)); then
  set -- clock timeline summaries operators memory counters
fi
for name in "$@"; do
  if ! declare -F "step_$name" >/dev/null; then
    printf 'no step "%s"; this file has:\n' "$name" >&2
    compgen -A function step_ >&2
    exit 2
  fi
done
if [[ $RUN == 1 ]]; then mkdir -p "$OUT"; fi
for name in "$@"; do "step_$name"; done
