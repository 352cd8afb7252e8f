-- How long the containers computed, communicated, waited and so on, and how unevenly that is spread.
SELECT
    type,
    activity,
    count(*) AS containers,
    sum(seconds) AS seconds,
    sum(no_state_seconds) AS no_state_seconds,
    sum(seconds) / nullif(sum(sum(seconds)) OVER (PARTITION BY type), 0) AS share,
    min(seconds) AS least_seconds,
    max(seconds) AS most_seconds
FROM container_activities
GROUP BY type, activity
ORDER BY type, seconds DESC, activity
