-- The state with most time in every tenth of the run; start => and stop => choose another window.
--
-- Needs: states.
WITH profile AS (
    SELECT
        slice,
        slice_start,
        value,
        sum(seconds) AS seconds,
        row_number() OVER (PARTITION BY slice ORDER BY sum(seconds) DESC, value) AS place
    FROM state_slices(state_segments, slices => 10)
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
