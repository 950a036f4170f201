"""The server behind the page: REST and streams, with every run in a process of its own.

Processes and who owns what:

- **The server** (uvicorn, one event loop) owns the token, the runs folder, the list of `Session`s
  and their clients. It reads configs and run folders, but plays nothing: no env is made, no policy
  and no bundle is loaded here.
- **A worker** (`multiprocessing`, spawn) per session owns an env, policies and a recorder, or a
  training, an evaluation, a proof of a replay. A crash, an endless loop or a lack of memory ends
  one worker; the others and the server go on, and the session says why it ended. A spare worker,
  which has imported everything, waits for the next task (`workers.spare`).

Between the two there is one pipe (`workers.channel`). What goes through it is bytes: a line that
names the kind, then JSON or other bytes. What a worker is to do is JSON too: the name of a task
(`workers.tasks`) and its plan. Nothing is unpickled on either side.

    worker: play ──encode once──▶ pipe ──▶ reader thread ──▶ Session ──▶ Client ──▶ WebSocket
            ◀── commands ─────── pipe ◀── routes, clients

Back-pressure. A worker draws and encodes a frame once per perspective that somebody watches, and at
most `FRAMES_PER_SECOND` times a second. A reader thread in the server empties the pipe at once:
of frames it keeps the newest per perspective. A `Client` has room for one frame, which newer ones
replace until its socket has taken the last; rows of metrics and events are kept in rings of fixed
length, and a client has a place in each. So a slow browser drops frames, and costs the same memory
as a fast one; the bytes of a frame are shared by all clients.

Perspectives. `everything` is the scene with rewards, terms and events of all agents. `agent K` is
made of what agent K received alone (observation, mask, info, own reward): in the worker, before
anything is sent, so that the stream holds no truth.

Watching over workers. Each has a heartbeat in shared memory: when what it does now began. The
server ends those that take too long, and the operating system those that want too much memory
(`workers.limits`). A worker ends itself when the server is gone.

Security. Loopback and a token by default; `guard` checks host, origin, token and size before any
route is found. `folder` is the only way from a name to a path. Uploads are bundles, which are
data; `.py` policies come from the command line that started the server.

Imports point down: server → app → routes → sessions → workers → models | folder | settings.
"""
