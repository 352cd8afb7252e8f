-- Why the containers of the selection wait within the window, by the states of one type: that in which they wait longest. Those of
-- another type, such as the calls of MPI beside the states of Paraver, are another view of the same time, and would count it twice.
WITH waiting AS (
    SELECT cells.type, cells.value AS state, cells.container_id, cells.seconds
    FROM state_slices(state_segments, start => :start, stop => :stop) AS cells
    JOIN state_activities AS names
        ON names.type = cells.type
        AND names.value = cells.value
    WHERE names.activity = 'waiting'
),
chosen AS (
    SELECT type
    FROM waiting
    WHERE :condition
    GROUP BY type
    ORDER BY round(sum(seconds), 9) DESC, type
    LIMIT 1
)
SELECT kind, sum(waits) AS waits, sum(seconds) AS seconds
FROM wait_states((SELECT * FROM state_segments WHERE type = (SELECT type FROM chosen)), start => :start, stop => :stop)
WHERE :condition
GROUP BY kind
ORDER BY seconds DESC, kind
