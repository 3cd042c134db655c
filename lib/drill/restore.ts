import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askAsStep, checkBooks, inDrill, rounded, rubOf, type DrillOptions, type DrillStep } from './drill.ts';

/** The table is lost while requests are under way, and put back from an export: what came after the export is gone, and all else goes on with the same keys. */
export function drillRestore(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { parent, data, requests, done, admin, start } = tools;
    const books = join(parent, 'export');
    const first = await start();
    const { key } = first;
    const before = await askAsStep(tools, 'requests before the export', { gateway: first, key });
    const exported = await admin('export', books);
    done('export', exported.code === 0, `${String(exported.answer['items'])} items`);
    const lost = await askAsStep(tools, 'requests after it, which will be lost', { gateway: first, key });
    const spentBefore = await first.spentRub(key);
    const underWay = await Promise.all(Array.from({ length: requests }, () => first.begin(key)));
    await first.kill();
    // The process that serves the files is found by its note of itself.
    const files = readdirSync(data).filter((name) => name.startsWith('dynamodb.') && !name.endsWith('.pid'));
    for (const name of files) rmSync(join(data, name), { recursive: true });
    const wholes = await Promise.all(underWay.map(({ isWhole }) => isWhole));
    const isBroken = wholes.every((isWhole) => !isWhole);
    done('loss of the table', files.length > 0 && isBroken, `${files.join(', ')}; ${wholes.length} streams broke off`);
    const restored = await admin('restore', books);
    const { written, until } = restored.answer;
    done('restore', restored.code === 0, `${String(written)} items, as of ${String(until)}`);
    if (restored.code !== 0) return;
    const reconciled = await admin('reconcile', '--deep');
    done('books of the restored table', reconciled.answer['sound'] === true, 'compared before anything is spent');
    const second = await start();
    const { spentRub } = await second.spendingOf(key);
    done(
      'what is lost',
      Math.abs(spentBefore - spentRub - rubOf(lost)) < 1e-9,
      `${lost.length} answered requests of ${rounded(spentBefore - spentRub)} RUB (${rubOf(lost)} RUB were told), and ${wholes.length} that broke off: none of them is charged`,
    );
    const again = await askAsStep(tools, 'requests with the same key', { gateway: second, key });
    await checkBooks(tools, second, { key, rub: rounded(rubOf(before) + rubOf(again)) });
  });
}
