-- What was launched late: kernels and copies by the time between call and start that they sum up to.
--
-- Needs: links of GPUs.
SELECT
    device,
    kind,
    value,
    launches,
    median_seconds,
    p95_seconds,
    launches * mean_seconds AS seconds
FROM gpu_launch_latency
ORDER BY seconds DESC, device, value
