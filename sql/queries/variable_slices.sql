-- How a variable goes on over the run, in tenths: its mean where it has a value, and its range.
--
-- Needs: variables.
SELECT
    slice,
    container_id,
    container,
    type,
    integral / nullif(covered, 0) AS mean,
    minimum,
    maximum
FROM variable_slices(slices => 10)
ORDER BY container_id, type, slice
