-- When most is communicated: the five busiest hundredths of the run.
--
-- Needs: links.
SELECT
    slice_start,
    slice_end,
    links,
    in_flight,
    volume_per_second
FROM comm_over_time
ORDER BY volume_per_second DESC, slice
LIMIT 5
