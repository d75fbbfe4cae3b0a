import { expect } from 'chai'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import type { AuditTail } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS } from '../integration/product.ts'
import { chronicle, type Rival } from '../integration/rivals.ts'

/** Many duels wait at once. */
export const PATIENT = { pauseMs: 500 }

/** Where a duel is, and what happens there. */
interface Arena {
  /** the namespace of the Lease */
  readonly system: string
  readonly since: Date
  readonly log: AuditTail
}

/** A leader and a standby, and what the audit log tells about them. */
export class Duel {
  readonly leader: Rival
  readonly standby: Rival
  readonly lease: string
  readonly #system: string
  readonly #since: Date
  readonly #log: AuditTail

  constructor(leader: Rival, standby: Rival, { system, since, log }: Arena) {
    this.leader = leader
    this.standby = standby
    this.lease = resourcePath(RESOURCES.Lease, { namespace: system, name: 'experiment-controller' })
    this.#system = system
    this.#since = since
    this.#log = log
  }

  async story() {
    return chronicle([this.leader, this.standby], this.#since, this.#system, await this.#log.events())
  }

  async writesOf({ name }: Rival) {
    return (await this.story()).writes.filter(({ by }) => by === name)
  }

  async lastWriteOf(rival: Rival): Promise<number> {
    return (await this.writesOf(rival)).at(-1)?.receivedMs ?? 0
  }

  /** The time of the first write of the standby, when it has written. */
  takenOverMs(): Promise<number> {
    const { standby } = this
    const look = async () => {
      const [first] = await this.writesOf(standby)
      if (!first) throw new Error('it does not')
      return first.receivedMs
    }
    return eventually(`${standby.name} to write`, DEADLINE_MS, look, PATIENT)
  }

  /** Resolves when the standby has seen the Lease. If its first look found none, it would lead at once. */
  standbyLooked(): Promise<void> {
    const look = async () => {
      const looks = (await this.#log.events()).filter(
        ({ verb, objectRef, responseStatus, user }) =>
          verb === 'get' &&
          objectRef?.resource === 'leases' &&
          responseStatus?.code === 200 &&
          user.extra?.['authentication.kubernetes.io/credential-id']?.includes(this.standby.credential),
      )
      expect(looks).not.to.deep.equal([])
    }
    return eventually(`${this.standby.name} to look at the Lease`, DEADLINE_MS, look, PATIENT)
  }

  async lastRenewalMs(): Promise<number> {
    return (await this.story()).terms.findLast(({ holder }) => holder === this.leader.name)?.lastRenewalMs ?? 0
  }
}
