import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { atWork } from './at-work.ts'

describe('workers whose passes lose a race', () => {
  it('N49: log a lost race for those who debug, until it is lost again and again', async () => {
    const { queue, time, pass, log } = atWork()
    queue.add('a/1')
    const lost = new KubeError({ kind: 'conflict', conflictOver: 'object', status: 409, message: 'modified' })
    for (let failures = 1; failures <= 4; failures++) {
      ;(await pass()).fail(lost)
      await time.pass(5 * 2 ** (failures - 1))
    }
    const level = (failures: number) => (failures < 4 ? 'debug' : 'error')
    expect(log.lines.map(({ text }) => text)).to.deep.equal([1, 2, 4].map((each) => `${level(each)} reconcile failed`))
    ;(await pass()).end()
  })
})
