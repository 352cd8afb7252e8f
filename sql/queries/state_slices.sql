-- The state with most time in every second of a window; start and stop choose it.
WITH profile AS (
    SELECT
        slice,
        slice_start,
        value,
        sum(seconds) AS seconds,
        row_number() OVER (PARTITION BY slice ORDER BY sum(seconds) DESC, value) AS place
    FROM state_slices(state_segments, slices => 10, start => 0, stop => 10)
    GROUP BY slice, slice_start, value
)
SELECT
    slice,
    slice_start,
    value,
    seconds
FROM profile
WHERE place = 1
ORDER BY slice
