-- How much more of its time each container of the other run is in each state, slice by slice of both runs.
SELECT slice, path, right_path, type, value, left_share, right_share, difference, matched
FROM run_diff(:left, :right, slices => :slices, depth => :depth, by => :by)
ORDER BY path, slice, type, value
