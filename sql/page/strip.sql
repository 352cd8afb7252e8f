-- The whole trace in one row: how much time its containers spend in each state, in columns.
SELECT slice, value, sum(seconds) AS seconds
FROM state_slices(state_segments, slices => :width, start => :start, stop => :stop)
GROUP BY slice, value
ORDER BY slice, value
