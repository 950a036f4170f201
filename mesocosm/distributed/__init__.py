"""The same work on several processes or machines, by Ray.

`cluster` starts a local Ray or joins one; `executor` hands jobs out and takes back what they wrote;
`deaths` tells of workers that died, and of Ray; `worker` is what a worker does, `identity` what it
must have in common with the driver, and `parcel` how files travel. Imports point down: `executor`
over `worker`, `deaths`, `cluster`; `worker` over `identity`, `parcel`.
"""
