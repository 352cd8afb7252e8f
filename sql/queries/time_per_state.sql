-- How long every container was in every state, and which share of the trace that is.
--
-- Segments count nested states once: only the innermost state of a time is summed. Needs: states.
SELECT
    s.container_id,
    s.container,
    s.type,
    s.value,
    sum(s.duration) AS seconds,
    sum(s.duration) / max(i.end_time - i.start_time) AS share
FROM state_segments AS s
CROSS JOIN trace_info AS i
GROUP BY s.container_id, s.container, s.type, s.value
ORDER BY s.container_id, seconds DESC, s.type, s.value
