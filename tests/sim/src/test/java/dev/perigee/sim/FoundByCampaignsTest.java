package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.kind.KindSimulation;
import dev.perigee.sim.kind.PairScene;
import dev.perigee.sim.kind.Scene;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs in which something did not hold once: seeds of campaigns, and the events that were enough. */
final class FoundByCampaignsTest {
    @TempDir
    private Path folder;

    private void holds(long seed, String events) throws Exception {
        Scene scene = new Scene(PairScene.layout(seed), FaultPlan.read(events));
        assertThat(new KindSimulation(seed, folder, scene).run()).isEmpty();
    }

    /** Half a second of what was confirmed was not kept by its killed process, and the master it comes back to has lost it. */
    @Test
    void aSlaveThatNoLongerKnowsWhatWasConfirmedFollowsAMasterThatLostIt() throws Exception {
        holds(
                16_739,
                "8494:STALL:broker-a.1:-:3396:0,9474:DOUBLE:ns-1:pull:1209:16,10337:PART:broker-a.1:broker-a:2519:0,10881:POWER_LOSS:broker-a.1:-:531:3,11643:POWER_LOSS_IN_CALL:broker-a:-:3521:37,12196:POWER_LOSS:broker-a.1:-:3004:11,15697:LOSE_VIEWS:broker-a.1:-:4719:0");
    }

    @Test
    void oneSlaveOfTwoFollowsAMasterThatLostWhatTheOtherKnowsToBeConfirmed() throws Exception {
        holds(
                10_079,
                "10734:STALL:broker-a.1:-:3340:0,11252:POWER_LOSS_IN_CALL:broker-a.1:-:2138:19,18178:FREEZE:broker-a:-:241:0,24271:POWER_LOSS:broker-a:-:392:25,24370:LOSE_VIEWS:broker-a.1:-:936:0,26902:WIPE:broker-a.2:-:4665:0,27180:OVERTAKE:broker-a:pull:2288:1072");
    }

    /** It does not serve before somebody says that its slave is gone for good. */
    @Test
    void aMasterThatWaitsForAnEmptiedSlaveIsReadWhenItServes() throws Exception {
        holds(
                17_167,
                "14162:POWER_LOSS:broker-a:-:3873:27,16379:LOSE_VIEWS:broker-a:-:2521:0,18867:LOSE_VIEWS:broker-a.1:-:5299:0,21026:FREEZE:ns-1:-:2495:0,21076:WIPE:broker-a.1:-:4657:0");
    }

    /** What it had that the master had lost is gone when it comes back. */
    @Test
    void aSlaveMayBeEmptiedWhileItsViewsAreCompared() throws Exception {
        holds(
                17_575,
                "11768:POWER_LOSS_IN_CALL:broker-a:-:2337:5,12246:RESTART:broker-a:-:3794:0,15725:POWER_LOSS:broker-a.1:-:5607:4,30593:WIPE:broker-a.1:-:5533:0");
    }

    /** It was asked about by a clock an hour ahead, which fell back before the next start. */
    @Test
    void aHalfIsAskedAboutThoughTheClockFellBackSinceTheLastTime() throws Exception {
        holds(
                12_523,
                "8694:KILL_IN_CALL:broker-a:-:4664:11,10931:POWER_LOSS_IN_CALL:broker-a.1:-:518:13,11642:KILL:broker-a:-:1251:19,11999:FAIL_FORCE:broker-a.1:-:1729:0,12026:CLOCK:broker-a:-:5582:3124846,12856:RESTART:broker-a:-:1150:0,13351:LOSE_VIEWS:broker-a:-:3016:0,13418:PART_ONE_WAY:broker-a.1:pull:4186:0,14649:LOSE_VIEWS:broker-a:-:4888:0,16834:POWER_LOSS_IN_CALL:broker-a.1:-:1054:56,17643:FAIL_FORCE:broker-a:-:396:0,19724:STALL:broker-a:-:1332:0,21214:POWER_LOSS:broker-a:-:2410:31,21605:FAIL_FORCE:broker-a:-:1248:0,21852:FAIL_FORCE:broker-a.1:-:318:0,22351:OVERTAKE:ns-1:producer:2627:1574,22490:KILL_IN_CALL:broker-a.1:-:4332:58,22986:PART_ONE_WAY:broker-a:broker-a.1:3800:0,23349:POWER_LOSS_IN_CALL:broker-a:-:3787:10,23614:KILL_IN_CALL:broker-a:-:839:44,25304:LOSE_VIEWS:broker-a.1:-:3080:637,25326:CLOCK:broker-a:-:4726:-1512095");
    }

    /** The acknowledgement and the goodbye of a slave came in one instant, when the road was free again. */
    @Test
    void aSlaveThatLeavesHasWhatWasAcknowledgedBeforeItLeft() throws Exception {
        holds(
                10_568,
                "7428:CLOCK:broker-a.1:-:1:1491325,7433:PART_ONE_WAY:broker-a.1:broker-a:1235:0,7901:RESTART:broker-a.1:-:703:0");
    }

    /** Of two that stand where the first master stood, the second would give the offsets anew that the first gave. */
    @Test
    void nobodyIsPromotedWhoNeverFollowedTheMaster() throws Exception {
        holds(
                10_191,
                "7692:POWER_LOSS:broker-a.2:-:5394:30,10523:FREEZE:broker-a.1:-:2339:0,12246:PROMOTE:broker-a.1:-:745:-28803597,13617:POWER_LOSS:broker-a:-:3542:23,18060:PROMOTE:broker-a.2:-:3684:1517490857");
    }

    /** What a master answers while it stops is confirmed by its successor, but not yet when that has just started. */
    @Test
    void whatAStoppingMasterAcknowledgedIsConfirmedByWhoTakesItsPlace() throws Exception {
        holds(
                12_546,
                "17757:STALL:broker-a:-:1705:-2207355,20572:STALL:broker-a:-:2661:0,22084:PROMOTE:broker-a.2:-:2951:-1528318956");
    }

    /** Its slave confirmed it, and was started as the master afterwards: nobody confirms it a second time. */
    @Test
    void whatASlaveConfirmedBeforeItsPromotionIsConfirmed() throws Exception {
        holds(
                12_546,
                "17757:STALL:broker-a:-:1705:-2207355,20572:STALL:broker-a:-:2661:0,21636:KILL:broker-a.2:-:3722:23,22084:PROMOTE:broker-a.2:-:2951:-1528318956,25235:PROMOTE:broker-a.2:-:4718:151864516");
    }

    /** Nobody saw that it was confirmed, and its successor has not got it. */
    @Test
    void whatAnAsynchronousMasterAnswersWhileItStopsMayBeGone() throws Exception {
        holds(
                16_851,
                "10451:POWER_LOSS_IN_CALL:broker-a:-:4261:57,15422:DELAY:broker-a:broker-a.1:1279:1372,16884:STALL:broker-a:-:3761:-939539,17386:PROMOTE:broker-a.1:-:4424:452705061");
    }

    /** A unit whose size was garbled looked like the beginning of a larger one, whose rest nobody would send. */
    @Test
    void aSlaveDoesNotWaitForTheRestOfAUnitThatWasDamagedOnItsWay() throws Exception {
        holds(
                18_711,
                "9620:RESTART:ns-2:-:3813:0,11790:OVERTAKE:transactions:ns-2:347:527,12430:KILL_IN_CALL:broker-a.1:-:453:27,18632:CUT:broker-a:broker-a.1:738:0,19967:POWER_LOSS:broker-a.2:-:4864:23,21417:POWER_LOSS_IN_CALL:broker-a:-:5975:59,22867:LOSE_VIEWS:broker-a.2:-:1286:0,23135:PART_ONE_WAY:broker-a.1:broker-a.2:4017:0,24101:CLOCK:broker-a.2:-:273:1586734,24568:POWER_LOSS_IN_CALL:broker-a.2:-:889:5,25133:KILL_IN_CALL:broker-a:-:1411:54,25735:RESTART:broker-a.1:-:3178:0,26104:KILL:ns-1:-:4056:8,27490:GARBLE:broker-a:broker-a.1:2686:34,29074:OVERTAKE:broker-a.1:ns-2:2478:479");
    }

    /** It could not write down that its clock was set before it had heard its slave. */
    @Test
    void aClockThatIsSetWhileAnAsynchronousMasterWaitsForItsSlaveMayMakeSomethingEarly() throws Exception {
        holds(
                19_299,
                "9658:RESTART:broker-a:-:1434:0,10786:FREEZE:broker-a.1:-:3932:0,11564:CLOCK:broker-a:-:272:2803989,13083:FAIL_WRITE:broker-a:-:1916:0");
    }
}
