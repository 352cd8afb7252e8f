-- What GPUs waited for: idle time by what came after it, with the longest gap.
--
-- Needs: states of GPUs.
SELECT
    device,
    coalesce(next_value, 'never idle') AS waited_for,
    count(next_value) AS gaps,
    coalesce(sum(seconds), 0) AS seconds,
    max(seconds) AS longest
FROM (SELECT DISTINCT device_id, device FROM gpu_activities) AS devices
LEFT JOIN (SELECT device_id, next_value, seconds FROM gpu_idle) AS gaps
    USING (device_id)
GROUP BY device_id, device, next_value
ORDER BY seconds DESC, device, waited_for
