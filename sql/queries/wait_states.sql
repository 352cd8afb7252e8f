-- Why containers wait, whom they wait for, and for how long.
--
-- By the states of one type, that in which they wait longest: those of two types are two views of the same time, and a
-- wait would count twice. Needs: states.
WITH longest AS (
    SELECT type
    FROM container_activities
    WHERE activity = 'waiting'
    GROUP BY type
    ORDER BY sum(ticks) DESC, type
    LIMIT 1
)
SELECT
    kind,
    partner,
    count(DISTINCT container_id) AS waiters,
    sum(waits) AS waits,
    sum(seconds) AS seconds
FROM wait_states((SELECT * FROM state_segments WHERE type = (SELECT type FROM longest)))
GROUP BY kind, partner_id, partner
ORDER BY seconds DESC, kind, partner_id
