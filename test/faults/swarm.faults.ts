import { describeSwarm } from '../integration/swarm.ts'

describeSwarm({ count: 200, quietMs: 60_000, deadlineMs: 300_000 })
