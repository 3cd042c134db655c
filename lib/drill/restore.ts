import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askAsStep, checkBooks, inDrill, rounded, rubOf, type DrillOptions, type DrillStep } from './drill.ts';

/** The table is lost, and put back from an export: what came after the export is gone, and all else goes on with the same keys. */
export function drillRestore(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { parent, data, done, admin, start } = tools;
    const books = join(parent, 'export');
    const first = await start();
    const { key } = first;
    const before = await askAsStep(tools, 'requests before the export', { gateway: first, key });
    const exported = await admin('export', books);
    done('export', exported.code === 0, `${String(exported.answer['items'])} items`);
    await askAsStep(tools, 'requests after it, which will be lost', { gateway: first, key });
    await first.stop();
    const lost = readdirSync(data).filter((name) => name.startsWith('dynamodb.'));
    for (const name of lost) rmSync(join(data, name), { recursive: true });
    done('loss of the table', lost.length > 0, lost.join(', '));
    const restored = await admin('restore', books);
    const { written, until } = restored.answer;
    done('restore', restored.code === 0, `${String(written)} items, as of ${String(until)}`);
    if (restored.code !== 0) return;
    const reconciled = await admin('reconcile', '--deep');
    done('books of the restored table', reconciled.answer['sound'] === true, 'compared before anything is spent');
    const second = await start();
    const again = await askAsStep(tools, 'requests with the same key', { gateway: second, key });
    await checkBooks(tools, second, { key, rub: rounded(rubOf(before) + rubOf(again)) });
  });
}
