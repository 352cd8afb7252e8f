-- How long each container and all below it are in one value: what rows are sorted by.
SELECT ancestor_id AS container_id, sum(seconds) AS sort_by
FROM state_slices(state_segments, start => :start, stop => :stop) AS slices
JOIN container_ancestors ON container_ancestors.container_id = slices.container_id
WHERE value = :value
GROUP BY ancestor_id
ORDER BY sort_by DESC, container_id
