-- What most containers do at each time: the state with most of their time in every slice.
--
-- Needs: states.
SELECT
    slice,
    slice_start,
    first_value(value ORDER BY seconds DESC, value) AS value,
    max(containers) AS containers
FROM time_profile
GROUP BY slice, slice_start
ORDER BY slice
