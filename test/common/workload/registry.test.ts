import { expect } from 'chai'
import { WORKLOAD_KINDS, workloadKind } from '../../../common/workload/registry.ts'

describe('workloadKind', () => {
  it('returns the adapter of each kind that can be forked', () => {
    for (const [name, kind] of Object.entries(WORKLOAD_KINDS)) {
      expect(workloadKind(name)).to.equal(kind)
      expect(kind.kind).to.equal(name)
      expect(kind.plural).to.equal(`${name.toLowerCase()}s`)
    }
  })

  it('returns undefined for any other kind', () => {
    for (const kind of ['DaemonSet', 'deployment', 'toString', '__proto__', ''])
      expect(workloadKind(kind)).to.equal(undefined)
  })
})
