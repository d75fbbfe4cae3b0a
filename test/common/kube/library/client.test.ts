import { expect } from 'chai'
import { kubeClient } from '../../../../common/kube/library/client.ts'
import { VirtualTime } from '../../../virtual-time.ts'

describe('kubeClient', () => {
  it('throws at once for a kubeconfig that cannot be read', () => {
    const options = { userAgent: 'test/1', timers: new VirtualTime(), random: () => 0 }
    expect(() => kubeClient({ ...options, kubeconfig: '/nowhere/at/all' })).to.throw(/ENOENT/)
  })
})
