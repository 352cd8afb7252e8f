-- The aggregates of slices by hand: computing time of every rank in thirds of the first nine seconds.
SELECT
    container,
    slice_seconds(start_time, end_time, 0, 9, 3) AS seconds
FROM states
WHERE value = 'compute'
GROUP BY container_id, container
ORDER BY container_id
