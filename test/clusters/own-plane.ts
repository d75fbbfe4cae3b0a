/** A control plane without the product, for what would change a whole cluster under the other tests. */
import { type ControlPlane, startControlPlane } from '../../sandbox/control-plane.ts'

/** A first start on a machine builds six programs. */
const FIRST_START_MS = 1_800_000

/** In a `describe`: runs while its tests do, and is theirs alone. Returns what gives it. */
export function usesOwnControlPlane(
  crds: () => Promise<readonly string[]> | readonly string[] = () => [],
): () => ControlPlane {
  let plane: ControlPlane | undefined
  before('a control plane of its own runs', async function () {
    this.timeout(FIRST_START_MS)
    plane = await startControlPlane({ say: (line) => console.error(line), crds: await crds() })
  })
  after('it ends', () => plane?.stop())
  return () => {
    if (!plane) throw new Error('the control plane is there when tests run, not while they are described')
    return plane
  }
}
