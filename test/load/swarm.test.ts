import { describeSwarm } from '../integration/swarm.ts'

describeSwarm({ count: 40, quietMs: 12_000, deadlineMs: 120_000 })
