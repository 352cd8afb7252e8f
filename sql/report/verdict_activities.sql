-- Waiting
-- Seconds in states of waiting, by name, beside the seconds in all states.
WITH times AS (
    SELECT
        profile.value,
        activities.activity,
        sum(profile.exclusive_seconds) AS seconds
    FROM flat_profile AS profile
    JOIN state_activities AS activities
        ON activities.type = profile.type
        AND activities.value = profile.value
    GROUP BY profile.value, activities.activity
)
SELECT
    value,
    seconds,
    (SELECT sum(seconds) FROM times) AS all_seconds
FROM times
WHERE activity = 'waiting'
ORDER BY seconds DESC, value
