"""Jobs on SLURM start Snakemake once.

The executor plugin has each job start a Snakemake that does nothing but start another one inside of a job step, and in a
bundle of jobs one more for each of them. Here a job's own command is the step: one Snakemake, which makes what the job or
the bundle holds. Steps get the options that the plugin gives them, so signals, limits and GPUs reach them as before.
AIQ_SLURM_JOBSTEP=plugin in the environment leaves everything as the plugin does it.
"""

import os
import re
import sys

CORES = re.compile(r"--cores \S+ ")
TWICE = " --executor slurm-jobstep --jobs 1"
# What SLURM tells the batch script and a step would take for options of its own.
OF_THE_BATCH = ["CPUS_PER_GPU", "CPUS_PER_TASK", "GPUS", "GPUS_PER_NODE"]
OF_THE_BATCH += ["GPUS_PER_TASK", "MEM_PER_CPU", "MEM_PER_GPU", "MEM_PER_NODE"]
OF_THE_BATCH += [
    "NPROCS",
    "NTASKS",
    "NTASKS_PER_GPU",
    "NTASKS_PER_NODE",
    "TRES_PER_TASK",
]


def start_once():
    """Let the plugin for SLURM submit jobs that start Snakemake once."""
    import snakemake_executor_plugin_slurm as slurm
    from snakemake_executor_plugin_slurm_jobstep import (
        get_cpu_setting,
        get_gpu_setting,
        get_node_setting,
    )
    from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

    class Executor(slurm.Executor):
        """The plugin's own, but for the command of a job."""

        def format_job_exec(self, job):
            """Return the command of a job, as a step; what is unlike the usual is left to the plugin."""
            command = super().format_job_exec(job)
            python = f"{self.get_python_executable()} -m snakemake "
            unlike = self.array_jobs or "mpi" in job.resources.keys()
            if unlike or command.count(TWICE) != 1 or command.count(python) != 1:
                return command
            gpus = get_gpu_setting(job)
            step = [
                "env",
                *(f"--unset=SLURM_{name}" for name in OF_THE_BATCH),
                "srun -n1 --cpu-bind=q",
                *(get_cpu_setting(job, bool(gpus)), gpus, get_node_setting(job)),
            ]
            words = " ".join(filter(None, step))
            command = command.replace(TWICE, "").replace(python, f"{words} {python}")
            if job.is_group():
                # It may use the cores that it asked for, and no other of its node.
                command = CORES.sub(f"--cores {max(1, job.threads)} ", command, count=1)
            return command

    ExecutorPluginRegistry().get_plugin("slurm").executor = Executor


if (
    workflow.is_main_process
    and "snakemake_executor_plugin_slurm" in sys.modules
    and os.environ.get("AIQ_SLURM_JOBSTEP", "") != "plugin"
):
    start_once()
