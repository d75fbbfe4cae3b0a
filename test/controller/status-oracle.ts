import type { KubeObject } from '../../common/api/object.ts'
import { at, isEqual, listOr } from '../../common/json/json.ts'
import type { ServerEvent } from '../fakes/object-store.ts'

/** What must hold for each status that is written, whatever else goes wrong. */
export class StatusOracle {
  #before: KubeObject | undefined
  #wasSourceMissing = false
  /** what should not have been written */
  readonly violations: string[] = []

  /** Call this for each change of the source. */
  sourceChanged({ type }: ServerEvent): void {
    if (type === 'DELETED') this.#wasSourceMissing = true
  }

  /** Call this for each change of the experiment. */
  experimentChanged({ object }: ServerEvent): void {
    const { metadata, status } = object
    const isStatus = this.#before?.metadata.uid === metadata.uid && !isEqual(this.#before?.status, status)
    this.#before = object
    if (!isStatus) return
    if (at(status, 'observedGeneration') !== metadata.generation)
      this.violations.push('a status of another generation than the present one')
    const isMissing = listOr(at(status, 'conditions')).some((each) => at(each, 'reason') === 'SourceNotFound')
    if (isMissing && !this.#wasSourceMissing) this.violations.push('SourceNotFound, although it was never missing')
  }
}
