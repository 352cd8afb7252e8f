-- Types of states
-- The first is the type of states that the verdict is about: that whose states have most useful time, else that with most of it in
-- no state, else that of which most is known. A type of a few calls leaves nearly all time in no state, and says least about it.
SELECT type
FROM container_activities
GROUP BY type
ORDER BY
    sum(seconds - no_state_seconds) FILTER (WHERE activity = 'computation') DESC NULLS LAST,
    sum(ticks) FILTER (WHERE activity = 'computation') DESC NULLS LAST,
    sum(ticks) FILTER (WHERE activity <> 'unknown') DESC NULLS LAST,
    sum(ticks) DESC,
    type
