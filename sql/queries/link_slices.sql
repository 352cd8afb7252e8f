-- When most is communicated: the busiest tenths of the run, and how many containers send in each.
--
-- Needs: links.
SELECT
    slice,
    slice_start,
    sum(volume) AS volume,
    count(DISTINCT container_id) AS senders
FROM link_slices(slices => 10, boundary => 'clip')
WHERE role = 'origin'
GROUP BY slice, slice_start
ORDER BY volume DESC, slice
LIMIT 3
