-- The kernels that take nine tenths of the time of all, and how much of it up to each.
--
-- Needs: states of GPUs.
WITH added AS (
    SELECT
        kernel,
        runs,
        seconds,
        mean_seconds,
        share,
        sum(share) OVER (ORDER BY seconds DESC, kernel ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS share_so_far
    FROM gpu_kernels
)
SELECT
    kernel,
    runs,
    seconds,
    mean_seconds,
    share,
    share_so_far
FROM added
WHERE share_so_far - share < 0.9
ORDER BY seconds DESC, kernel
