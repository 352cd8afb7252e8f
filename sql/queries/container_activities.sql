-- How much of the time is spent on what, by type of states: all containers together, time in no state included.
--
-- Needs: states.
SELECT
    type,
    activity,
    sum(seconds) AS seconds,
    sum(no_state_seconds) AS no_state_seconds,
    sum(ticks) / CAST(sum(sum(ticks)) OVER (PARTITION BY type) AS DOUBLE) AS share
FROM container_activities
GROUP BY type, activity
ORDER BY type, seconds DESC, activity
