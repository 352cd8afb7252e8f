-- Types of states
-- The first is the type of states that the verdict is about: that with most useful time, else that of which most is known.
SELECT type
FROM container_activities
GROUP BY type
ORDER BY
    sum(ticks) FILTER (WHERE activity = 'computation') DESC NULLS LAST,
    sum(ticks) FILTER (WHERE activity <> 'unknown') DESC NULLS LAST,
    sum(ticks) DESC,
    type
