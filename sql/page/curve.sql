-- How much the communities of each phase differ from those before: the CommGram curve of the window.
SELECT phase, start_time, end_time, messages, volume, communities, modularity, difference, height
FROM comm_curve((SELECT * FROM links WHERE end_time >= :start AND start_time <= :stop), phases => :phases)
ORDER BY phase
